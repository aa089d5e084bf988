import {
  LINK_CALL,
  linkForm,
  readLinkAnswer,
  type LinkAnswer,
  type LinkKeys,
  type PeerProfile,
} from '#federation/protocol';
import { EgressFailed } from '../egress/egress-failed';
import type { SignedCalls } from '../messages/signed-calls';

/** Milliseconds for one call: the other server may offer the share to us before it answers. */
const LIMIT_MS = 25_000;

/** Where the server of a link is, and how it checks signatures. */
type LinkServer = Pick<PeerProfile, 'baseUrl' | 'capabilities' | 'signBy'>;

/** Asks other servers for what their public links show. */
export class PartnerLinks {
  constructor(private readonly calls: SignedCalls) {}

  /** Has the server offer what the link shows to `shareWith`. Never throws for what the server does. */
  async ask(server: LinkServer, keys: LinkKeys, shareWith: string): Promise<LinkAnswer> {
    try {
      const answer = await this.calls.exchange(
        {
          method: 'POST',
          url: `${server.baseUrl}${LINK_CALL}`,
          headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
          body: linkForm(keys, shareWith),
          answerMs: LIMIT_MS,
        },
        server,
      );
      return readLinkAnswer(answer.status, answer.incomplete ? '' : answer.text, keys);
    } catch (error) {
      if (error instanceof EgressFailed) return { kind: 'later' };
      throw error;
    }
  }
}
