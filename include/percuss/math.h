// Plain value types for vectors and rotations, as they appear in definitions and results.
#ifndef PERCUSS_MATH_H
#define PERCUSS_MATH_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pcs_vec2 {
    double x, y;
} pcs_vec2;

typedef struct pcs_vec3 {
    double x, y, z;
} pcs_vec3;

// Row-major: m[row][column].
typedef struct pcs_mat3 {
    double m[3][3];
} pcs_mat3;

// Unit quaternion, scalar part first; rotates body coordinates to world coordinates.
typedef struct pcs_quat {
    double w, x, y, z;
} pcs_quat;

#ifdef __cplusplus
}
#endif
#endif
