/** Whether an address names this user. User ids are unique regardless of case. */
export const isSameUser = (named: string, uid: string): boolean => named.toLowerCase() === uid.toLowerCase();
