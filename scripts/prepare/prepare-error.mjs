/** Preparing cannot go on; `message` is one sentence that says what to do. */
export class PrepareError extends Error {}
