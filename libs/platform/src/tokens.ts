/** Nest's injection tokens for every module. */
export const CONFIG = Symbol('Config');
export const LOGGER = Symbol('Logger');
