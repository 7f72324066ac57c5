// The thread that hands commands to command_server.mjs, since the thread of the tests waits for each result without its event loop.
import { fork } from "node:child_process";
import process from "node:process";
import { workerData } from "node:worker_threads";

const { server, program, port, ended } = workerData;
const child = fork(server, [program], {
  stdio: ["ignore", "pipe", "pipe", "ipc"],
  serialization: "advanced",
});

function answer(result) {
  port.postMessage(result);
  Atomics.store(ended, 0, 1);
  Atomics.notify(ended, 0);
}
child.on("message", answer);
child.on("exit", () => answer(undefined));
port.on("message", (command) => child.send(command));
process.on("exit", () => child.kill());
