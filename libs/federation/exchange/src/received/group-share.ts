/** Where the access of a received share names the group here that it was offered to. */
export const GROUP = 'group';

/**
 * Whether the share is one of a group: its server gave it to all members as one, and would take the no of one of them for the end of it.
 */
export const isOfGroup = (access: unknown): boolean =>
  typeof access === 'object' && access !== null && Object.hasOwn(access, GROUP);
