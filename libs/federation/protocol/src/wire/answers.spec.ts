import { SecretText } from '../secret-text';
import {
  legacyRefusal,
  mistakesEnvelopeForSuccess,
  OCM_TAKEN,
  ocmOfferTaken,
  ocmRefusal,
  ocmReshareGranted,
} from './answers';
import { FederationRefused, type FederationRefusal } from './federation-refusal';
import { LEGACY_ACTIONS } from '../messages/partner-events';

describe('answers', () => {
  it('are 201 with an object', () => {
    expect([OCM_TAKEN, ocmOfferTaken('Marie')]).toEqual([
      { status: 201, body: {} },
      { status: 201, body: { recipientDisplayName: 'Marie' } },
    ]);
    expect(ocmReshareGranted({ sharedSecret: new SecretText('s22'), providerId: '77' }).body).toEqual({
      sharedSecret: 's22',
      token: 's22',
      providerId: '77',
      remoteId: '77',
    });
  });

  it.each<[FederationRefusal, number]>([
    ['secret-wrong', 403],
    ['partner-not-allowed', 403],
    ['temporarily-unavailable', 503],
    ['incoming-disabled', 501],
  ])('to a refused message (%s) are %d', (refusal, status) => {
    expect(ocmRefusal(new FederationRefused(refusal)).status).toBe(status);
  });

  it('in the legacy dialect depend on the call', () => {
    const unknown = new FederationRefused('share-unknown', '9');
    const words = 'Share with id 9 does not exist';
    expect(LEGACY_ACTIONS.map((action) => legacyRefusal(unknown, action))).toEqual([
      { statuscode: 410, message: words },
      { statuscode: 410, message: words },
      { statuscode: 400, message: words },
      { statuscode: 400, message: null },
      { statuscode: 400, message: null },
      { statuscode: 400, message: words },
    ]);
  });

  it('are plain only for ownCloud', () => {
    expect(mistakesEnvelopeForSuccess('ownCloud Server Crawler')).toBe(true);
    expect(mistakesEnvelopeForSuccess('Nextcloud Server Crawler')).toBe(false);
    expect(mistakesEnvelopeForSuccess(undefined)).toBe(false);
  });
});
