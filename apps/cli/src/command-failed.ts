/** The command was written wrongly: answered with its usage and exit code 2. */
export class UsageError extends Error {}

/** The command was understood and cannot be done; `message` is one sentence. */
export class CommandFailed extends Error {}
