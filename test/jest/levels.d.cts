/** The level of one spec, by its absolute path. */
export function levelOf(file: string): 'pure' | 'adapters' | 'system';
/** Absolute paths of all specs. */
export function specsByLevel(): Record<'pure' | 'adapters' | 'system', string[]>;
