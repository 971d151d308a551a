"""Bouncing ball: run a model with another parameter, look at signals and at the evidence."""

from pathlib import Path

import percuss

models = Path(__file__).resolve().parent.parent
model = percuss.load(models / "bouncing_ball.yaml", e=0.8)

with model.simulate(step=1e-3, end=5) as sim:
    data = sim.record(["body.ball.position.z", "contact.floor.impulse.n"], every=0)
    impacts = [event for event in sim.events if event.kind == "impact"]
    statistics = sim.statistics

time, height = data["time"], data["body.ball.position.z"] - 0.1
print(f"first impact at {impacts[0].time:.3f} s with {impacts[0].value:.3f} m/s")
print(f"second peak {height[time > impacts[0].time].max():.3f} m above the floor")
print(f"{statistics.impacts} impacts, worst penetration {statistics.worst_penetration:.1e} m")
print(f"energy lost at impacts {-statistics.energy.impact:.2f} J")
