/** A configuration with which the process does not start. `message` is one sentence that says what to change. */
export class ConfigError extends Error {}
