/** SQL of the user id that this text names in any letter case; NULL if there is no such account. */
export const spelledUid = (text: string): string =>
  `(SELECT named.uid FROM user_account named WHERE lower(named.uid) = lower(${text}))`;
