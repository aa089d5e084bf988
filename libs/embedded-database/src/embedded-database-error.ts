/** The embedded database cannot be used. `message` is one sentence that says what to do. */
export class EmbeddedDatabaseError extends Error {}
