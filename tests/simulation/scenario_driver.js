// Plays a scenario, takes everything back, does it again, and prints the scenario the simulation writes of it.

const played = new Simulation(MODEL);
const text = require("fs").readFileSync(0, "utf8");
const count = played.replay(text, "scenario");
const dump = () => played.nodes[0].state.map(String).join(" ");
const end = dump();
for (let i = 0; i < count; i++) played.undo();
const begin = new SimulatedNode(MODEL, played.parameters[0]).state.map(String).join(" ");
if (dump() !== begin) throw new Error("undo does not lead back to the beginning");
if (played.undo() !== null) throw new Error("there is more to undo than was done");
for (let i = 0; i < count; i++) played.redo();
if (dump() !== end) throw new Error("redo does not lead to where it was");
process.stdout.write(played.scenario());
