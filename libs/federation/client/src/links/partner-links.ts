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

/** Milliseconds for one call. The other server may send us the offer before it answers. */
const LIMIT_MS = 25_000;

/** Address of a link's server, and how it checks signatures. */
type LinkServer = Pick<PeerProfile, 'baseUrl' | 'capabilities' | 'signBy'>;

/** Asks other servers for the node of one of their public links. */
export class PartnerLinks {
  constructor(private readonly calls: SignedCalls) {}

  /** Asks the server to offer the link's node to `shareWith`. Never throws for errors of the server. */
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
