/** Member of a received share's access that names the local group to which the share was offered. */
export const GROUP = 'group';

/**
 * Whether the share was offered to a group. Its server gave all members one share, and would take the decline of one of them as its end.
 */
export const isOfGroup = (access: unknown): boolean =>
  typeof access === 'object' && access !== null && Object.hasOwn(access, GROUP);
