/* Stands in for vitest where helpers of tests run in the emulated machine: nothing is done at a test's end. */
// eslint-disable-next-line @typescript-eslint/no-empty-function
const nothing = (): void => {};

export const afterAll = nothing;
export const beforeAll = nothing;
export const onTestFinished = nothing;
