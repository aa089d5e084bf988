/** The server does not do what the sentence says. */
export class Broken extends Error {}

/** The check could not be run; the message says why. */
export class NotRun extends Error {}

export function expect(holds, message) {
  if (!holds) throw new Broken(message);
}

/** Ends the check as not run unless what it needs is there. */
export function need(isThere, reason) {
  if (!isThere) throw new NotRun(reason);
}

/** A check for a sentence that only the server itself can answer for. */
export const unseen = (reason) => () => {
  throw new NotRun(reason);
};

export const INSIDE = unseen('it happens inside the server, where nothing shows it to others');
