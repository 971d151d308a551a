"""Vectors, rotations and frames in space, outlines in the plane: the geometry of tools/sketch."""
import math


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def times(s, a):
    return (s * a[0], s * a[1], s * a[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    length = math.sqrt(dot(a, a))
    return times(1 / length, a) if length > 0 else (0.0, 0.0, 0.0)


def turn(q, a):
    """The vector a, turned by the unit quaternion q = (w, x, y, z)."""
    u = q[1:]
    t = times(2, cross(u, a))
    return add(add(a, times(q[0], t)), cross(u, t))


def multiply(p, q):
    return (p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0])


class Frame:
    """Where something is: origin and orientation in the world."""

    def __init__(self, origin, rotation):
        self.origin, self.rotation = origin, rotation

    def point(self, local):
        return add(self.origin, turn(self.rotation, local))

    def direction(self, local):
        return turn(self.rotation, local)

    def inside(self, frame):
        """A frame given in the coordinates of this one, in the world."""
        return Frame(self.point(frame["position"]), multiply(self.rotation, frame["rotation"]))


WORLD = Frame((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


# ---- In the plane of the picture ----

def convex_hull(points):
    points = sorted(set(points))
    if len(points) < 3:
        return points

    def half(sequence):
        chain = []
        for p in sequence:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                                      <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])):
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(points) + half(reversed(points))


def thin_out(points, tolerance=0.35):
    """Drops points of a path that lie on the line of their neighbours (Douglas and Peucker)."""
    keep, stack = {0, len(points) - 1}, [(0, len(points) - 1)]
    while stack:
        i, j = stack.pop()
        (x0, y0), (x1, y1) = points[i], points[j]
        length = math.hypot(x1 - x0, y1 - y0)
        worst, where = tolerance, None
        for k in range(i + 1, j):
            x, y = points[k]
            if length > 1e-9:
                off = abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length
            else:
                off = math.hypot(x - x0, y - y0)
            if off > worst:
                worst, where = off, k
        if where is not None:
            keep.add(where)
            stack += [(i, where), (where, j)]
    return [points[k] for k in sorted(keep)]
