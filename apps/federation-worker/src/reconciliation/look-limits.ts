/** How long a partner has for one look, milliseconds. */
export const LOOK_MS = 5_000;
