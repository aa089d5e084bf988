/** Nest injection tokens of what every module may ask for. */
export const CONFIG = Symbol('Config');
export const LOGGER = Symbol('Logger');
