/** Milliseconds that a connection to Postgres may take, including the wait for a free one. A machine under load takes seconds. */
export const CONNECT_LIMIT_MS = 10_000;
