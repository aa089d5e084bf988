/** Whether an address names this user: ids of users are unique regardless of case. */
export const isSameUser = (named: string, uid: string): boolean => named.toLowerCase() === uid.toLowerCase();
