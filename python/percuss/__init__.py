"""Percuss: mechanisms of rigid and flexible bodies, joints, impacts and dry friction.

    import percuss
    model = percuss.load("bouncing_ball.yaml", e=0.8)
    with model.simulate(step=1e-3) as sim:
        sim.run(output="run.h5")
        print(sim["body.ball.position.z"], sim.statistics.impacts)

docs/python.md is the guide. Errors are exceptions (percuss.Error) with the library's message.
"""

from ._library import library as _loaded
from ._version import VERSION as __version__
from .errors import (
    ArgumentError,
    Error,
    FileError,
    InputError,
    ModelError,
    NotConvergedWarning,
    NumericError,
    OutOfMemoryError,
    SingularError,
    UnknownNameError,
)
from .mesh import Mesh, MeshPart
from .model import Model, load, loads
from .options import Method, Option, schemes, solvers
from .problem import (
    LCP,
    MLCP,
    ContactProblem,
    Problem,
    Residual,
    Solution,
    Stage,
    Verdict,
    read_problem,
)
from .result import Result, open_result, write_report
from .simulation import Energy, Event, Inputs, Signal, Signals, Simulation, Statistics

#: Version of the loaded library, and the file it was loaded from.
library_version = _loaded.version
library_path = _loaded.path

__all__ = [
    "ArgumentError",
    "ContactProblem",
    "Energy",
    "Error",
    "Event",
    "FileError",
    "InputError",
    "Inputs",
    "LCP",
    "MLCP",
    "Mesh",
    "MeshPart",
    "Method",
    "Model",
    "ModelError",
    "NotConvergedWarning",
    "NumericError",
    "Option",
    "OutOfMemoryError",
    "Problem",
    "Residual",
    "Result",
    "Signal",
    "Signals",
    "Simulation",
    "SingularError",
    "Solution",
    "Stage",
    "Statistics",
    "UnknownNameError",
    "Verdict",
    "__version__",
    "library_path",
    "library_version",
    "load",
    "loads",
    "open_result",
    "read_problem",
    "schemes",
    "solvers",
    "write_report",
]
