/** A process that takes no part in running the runs that it accepts. */
export const nowhere = {
  node: 'node_test',
  reserve: () => null,
  giveBack: () => {},
  known: () => 0,
  catchUp: () => {},
  worker: () => 'worker_test',
  isCertain: () => true,
  renewed: async () => {},
  now: Date.now,
}
