/** A wrongly written command: answered with its usage and exit code 2. */
export class UsageError extends Error {}

/** A command that cannot be carried out; `message` is one sentence. */
export class CommandFailed extends Error {}
