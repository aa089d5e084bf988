/** The preparation cannot continue; `message` tells the user in one sentence what to do. */
export class PrepareError extends Error {}
