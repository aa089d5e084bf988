/** Milliseconds that a connection to Postgres may take, also where all of the pool are busy. A machine under load takes seconds. */
export const CONNECT_LIMIT_MS = 10_000;
