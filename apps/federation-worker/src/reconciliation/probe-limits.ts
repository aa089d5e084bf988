/** How long a partner has for one probe, milliseconds. */
export const PROBE_MS = 5_000;
