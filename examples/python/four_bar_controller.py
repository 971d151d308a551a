"""Four-bar linkage, lying flat, moved to a target angle by a PD controller written in Python."""

from pathlib import Path

import percuss

models = Path(__file__).resolve().parent.parent
target, kp, kd = 0.6, 40.0, 4.0  # rad, N m/rad, N m s/rad

# The motor of the shipped model takes its torque from an input.
changes = {"inputs": {"torque": 0}, "joints.motor.actuator": "input.torque", "gravity": [0, 0]}
model = percuss.load(models / "four_bar.yaml", changes)

with model.simulate(step=1e-3, end=2) as sim:
    motor = sim.signals(["joint.motor.angle", "joint.motor.rate"])

    def controller(sim: percuss.Simulation) -> None:
        angle, rate = motor()
        sim.inputs["torque"] = -kp * (angle - target) - kd * rate

    data = sim.record(["joint.motor.angle", "input.torque"], controller=controller, every=0)
    work = sim.energy.actuator

angle, torque = data["joint.motor.angle"], data["input.torque"]
print(f"from {angle[0]:.4f} to {angle[-1]:.6f} rad, target {target} rad")
print(f"largest torque {abs(torque).max():.2f} N m; from rest to rest the work is {work:.1e} J")
