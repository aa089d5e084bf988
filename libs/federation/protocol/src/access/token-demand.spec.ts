import type { PeerProfile } from '../peers/peer-profile';
import { tokenDemand, type TokenDemand } from './token-demand';

const OCM = 'https://cloud.example.org/ocm';
const profile = (criteria: string[], capabilities: string[], ocmEndPoint: string | null = OCM) =>
  ({ criteria, capabilities, ocmEndPoint }) as unknown as PeerProfile;

const [MUST, CAN] = ['must-exchange-token', 'exchange-token'];

describe('the requirement to exchange a secret', () => {
  it.each<[string, PeerProfile, boolean, boolean, TokenDemand]>([
    ['not wanted', profile([], [CAN]), false, false, 'none'],
    ['we want it, and it can', profile([], [CAN]), true, false, 'exchange'],
    ['we want it, and it cannot', profile([], ['notifications']), true, false, 'none'],
    ['it wants it', profile([MUST], [CAN]), false, false, 'exchange'],
    ['it wants it, and says no more', profile([MUST], []), false, false, 'exchange'],
    ['it wants it, and cannot be told', profile([MUST], [CAN], null), false, false, 'impossible'],
    ['we want it, and it cannot be told', profile([], [CAN], null), true, false, 'none'],
    ['it was told so before', profile([], []), false, true, 'exchange'],
    ['it was told so before, and cannot be any more', profile([], [], null), false, true, 'impossible'],
  ])('%s', (_what, peer, demanded, promised, demand) => {
    expect(tokenDemand(peer, demanded, promised)).toBe(demand);
  });
});
