import type { AcceptanceCall } from '#federation/exchange';
import {
  acceptanceBody,
  readAcceptanceAnswer,
  readAskAnswer,
  readSecretAnswer,
  SecretText,
  TRUST_PATHS,
  type AcceptanceAnswer,
  type AskAnswer,
  type PeerProfile,
  type SecretAnswer,
} from '#federation/protocol';
import { EgressFailed } from '../egress/egress-failed';
import type { ExchangeAnswer } from '../egress/guarded-client';
import type { Message } from '../egress/signed-message';
import type { Addressee, SignedCalls } from '../messages/signed-calls';

/** Milliseconds for one call: a person is waiting. */
const LIMIT_MS = 10_000;

/** Address of a trusted partner, and how it checks signatures. */
export type TrustedPartner = Pick<PeerProfile, 'baseUrl' | 'capabilities' | 'signBy'>;

/** Calls that build trust with partners and contacts with their people. */
export class PartnerTrustCalls {
  constructor(private readonly calls: SignedCalls) {}

  /** Never throws for errors of a partner. */
  async acceptInvitation(call: AcceptanceCall, signal?: AbortSignal): Promise<AcceptanceAnswer> {
    const { partner, ocmEndPoint, hostKey, token, provider, person } = call;
    try {
      const { status, text, incomplete } = await this.calls.exchange(
        {
          method: 'POST',
          url: `${ocmEndPoint}/invite-accepted`,
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: acceptanceBody(token, provider, person),
          signal,
        },
        partner,
        LIMIT_MS,
      );
      if (incomplete && status < 300) return { kind: 'refused', reason: 'unreachable' };
      return readAcceptanceAnswer(status, text, hostKey);
    } catch (error) {
      if (error instanceof EgressFailed) return { kind: 'refused', reason: 'unreachable' };
      throw error;
    }
  }

  /**
   * Asks a trusted partner to fetch a secret from us.
   * @param ourUrl our own address, without a trailing slash
   */
  async askForFetch(partner: TrustedPartner, ourUrl: string, token: SecretText): Promise<AskAnswer> {
    const body = handshakeForm(ourUrl, token);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'ocs-apirequest': 'true' };
    const url = `${partner.baseUrl}${TRUST_PATHS.request}?format=json`;
    const answer = await this.answerTo({ method: 'POST', url, headers, body }, partner);
    return answer ? readAskAnswer(answer.status) : 'later';
  }

  /** Fetches the secret that a trusted partner asked us to fetch. @param token the partner's own */
  async fetchSecret(partner: TrustedPartner, ourUrl: string, token: SecretText): Promise<SecretAnswer> {
    const query = handshakeForm(ourUrl, token).reveal();
    const url = `${partner.baseUrl}${TRUST_PATHS.secret}?${query}`;
    const headers = { 'ocs-apirequest': 'true' };
    const answer = await this.answerTo({ method: 'GET', url, headers }, partner);
    return answer ? readSecretAnswer(answer.status, answer.text) : { kind: 'later' };
  }

  private async answerTo(message: Message, partner: Addressee): Promise<ExchangeAnswer | undefined> {
    try {
      const answer = await this.calls.exchange(message, partner, LIMIT_MS);
      return answer.incomplete ? undefined : answer;
    } catch (error) {
      if (error instanceof EgressFailed) return undefined;
      throw error;
    }
  }
}

const handshakeForm = (ourUrl: string, token: SecretText): SecretText =>
  new SecretText(new URLSearchParams({ url: ourUrl, token: token.reveal(), format: 'json' }).toString());
