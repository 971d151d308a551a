"""A tower of blocks under a sideways push: one step as a friction problem of scipy matrices."""

import numpy as np
import scipy.sparse as sparse

import percuss

n, m, h, mu, g = 40, 2.0, 1e-3, 0.4, 9.81
push = 0.9 * mu * m * g  # N, on the top block; it would slide above mu m g

# Velocities (x, y, z) of the blocks; contact i between block i and the one below, rows (N, T1, T2).
M = m * sparse.eye(3 * n)
below = sparse.eye(n) - sparse.eye(n, k=-1)
axes = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
H = sparse.kron(below, axes).T
f = np.tile([0, 0, -h * m * g], n)  # impulse of the forces in the step
f[-3] += h * push

problem = percuss.ContactProblem(M=M, H=H, f=f, w=np.zeros(3 * n), mu=mu)
solution = problem.solve(tolerance=1e-12)
verdict = problem.verify(solution.r)

force = solution.r.reshape(n, 3) / h
print(f"{solution.status} by {solution.stages[-1].name}, residual {verdict.residual.relative:.1e}")
print(f"force under the tower {force[0, 0]:.6f} N, its weight {n * m * g:.6f} N")
print(f"{verdict.stick} contacts stick, friction under the top block {force[-1, 1]:.4f} N")
