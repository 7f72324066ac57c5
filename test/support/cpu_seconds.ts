import process from "node:process";

/** Seconds that all threads of this process have computed: other processes do not add to it, as they do to a clock's time. */
export const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
