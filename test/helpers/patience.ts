/**
How long a test waits for what must come, milliseconds, before it says that it does not: no figure of ours, but of what
a machine that has much else to do may take. A JVM that compiles everything it runs is ready after seconds on a quiet
one.
*/
export const patienceMs = 120_000;
