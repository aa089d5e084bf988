/** A configuration that the boot refuses. `message` is one sentence that says what to change. */
export class ConfigError extends Error {}
