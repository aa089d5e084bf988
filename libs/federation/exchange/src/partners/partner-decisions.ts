/** Effects of decisions about a partner, for the help of the command line and the descriptions of calls; without a full stop. */
export const PARTNER_DECISIONS = {
  pin: 'Uses only these dialects with a partner, in this order, instead of those that it announces',
  unpin: 'Uses the dialects that the partner announces again',
  resume: 'Sends all waiting messages to a partner now, also if it was paused or unreachable',
};
