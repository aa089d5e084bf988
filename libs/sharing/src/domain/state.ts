/** State of a received share for one recipient. */
export type ShareState = 'accepted' | 'pending' | 'declined';

/** Numbers of the states, on the wire and in the database. */
export const STATE_NUMBERS: Readonly<Record<ShareState, number>> = { accepted: 0, pending: 1, declined: 2 };

const BY_NUMBER: readonly ShareState[] = ['accepted', 'pending', 'declined'];

export function stateOfNumber(number: number): ShareState {
  const state = BY_NUMBER[number];
  if (!state) throw new Error(`no share state has the number ${number}`);
  return state;
}

export type StateTrigger = 'accept' | 'decline';

/** All transitions. Repeating a decision is allowed and changes nothing. */
export const TRANSITIONS: Readonly<Record<ShareState, Readonly<Record<StateTrigger, ShareState>>>> = {
  pending: { accept: 'accepted', decline: 'declined' },
  accepted: { accept: 'accepted', decline: 'declined' },
  declined: { accept: 'accepted', decline: 'declined' },
};

/**
 * Reads the `state` filter of a list; undefined means every state.
 * Words and numbers are both accepted; `rejected` means declined. Any other word, and a missing filter, mean
 * accepted, as in deployed servers.
 */
export function parseStateFilter(raw: string | undefined): ShareState | undefined {
  if (raw === 'all') return undefined;
  if (raw === 'pending' || raw === '1') return 'pending';
  if (raw === 'declined' || raw === 'rejected' || raw === '2') return 'declined';
  return 'accepted';
}
