/** The server breaks the rule of the check. */
export class Broken extends Error {}

/** The check could not be run; the message is the reason. */
export class NotRun extends Error {}

export function expect(holds, message) {
  if (!holds) throw new Broken(message);
}

/** Ends the check as not run if the condition is false. */
export function need(isThere, reason) {
  if (!isThere) throw new NotRun(reason);
}

/** A check for a rule that cannot be tested from outside. */
export const unseen = (reason) => () => {
  throw new NotRun(reason);
};

export const INSIDE = unseen('it happens inside the server, where nothing shows it to others');
