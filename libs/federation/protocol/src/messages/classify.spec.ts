import { classifyAnswer, classifyFailure, type Outcome, type Sent } from './classify';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const sent = (text: string): Sent => {
  const [product, dialect, kind] = text.split(' ') as [Sent['product'], Sent['dialect'], Sent['kind']];
  return { product, dialect, kind };
};
const refused = (reason: string, words = ''): object => ({ kind: 'refused', reason, words });
const next = (otherwise: object): object => ({ kind: 'next-dialect', otherwise });
const message = (text: string): string => JSON.stringify({ message: text });
const envelope = (statuscode: number | string, text: string | null = null, data: unknown = []): string =>
  JSON.stringify({ ocs: { meta: { status: 'x', statuscode, message: text }, data } });
const delivered = { kind: 'delivered', reshare: null };
const HTML = '<!DOCTYPE html><html></html>';
const PLAIN_404 = '404 page not found';

type Row = [what: string, sent: string, status: number, body: string, outcome: object];

const SUCCESSES: Row[] = [
  ['ownCloud', 'owncloud10 ocm-webdav offer', 201, '[]', delivered],
  ['Nextcloud', 'nextcloud ocm-webdav offer', 201, '{"recipientDisplayName":"M"}', delivered],
  ['OpenCloud', 'opencloud ocm-multi offer', 200, '{}\n', delivered],
  ['OpenCloud, a notice', 'opencloud ocm-multi share-unshared', 201, '', delivered],
  ['any 2xx without a body', 'unknown ocm-multi offer', 204, '', delivered],
  ['201 is believed whatever comes with it', 'unknown ocm-webdav offer', 201, HTML, delivered],
  ['a page with 200', 'unknown ocm-webdav offer', 200, HTML, { kind: 'rediscover' }],
  ['broken JSON with 200', 'unknown ocm-webdav offer', 200, '{"a":', { kind: 'rediscover' }],
  ['legacy v1', 'legacy legacy offer', 200, envelope(100), delivered],
  ['legacy v2', 'legacy legacy offer', 200, envelope(200), delivered],
  ['legacy, code as text', 'legacy legacy offer', 200, envelope('100'), delivered],
  ['legacy without an envelope', 'legacy legacy offer', 200, '{}', { kind: 'rediscover' }],
  ['legacy, a page', 'legacy legacy offer', 200, HTML, { kind: 'rediscover' }],
];

const RESHARES: Row[] = [
  [
    'ownCloud',
    'owncloud10 ocm-webdav reshare-requested',
    201,
    '{"sharedSecret":"s22","providerId":"77"}',
    {},
  ],
  ['Nextcloud', 'nextcloud ocm-webdav reshare-requested', 201, '{"token":"s22","providerId":77}', {}],
  [
    'legacy',
    'legacy legacy reshare-requested',
    200,
    envelope(200, null, { token: 's22', remoteId: '77' }),
    {},
  ],
];

const REFUSALS: Row[] = [
  [
    'unknown account',
    'owncloud10 ocm-webdav offer',
    400,
    message('User ghost does not exist'),
    refused('recipient-unknown', 'User ghost does not exist'),
  ],
  [
    'unknown account',
    'legacy legacy offer',
    400,
    envelope(400, 'User does not exist'),
    refused('recipient-unknown', 'User does not exist'),
  ],
  [
    'unknown account on v1',
    'legacy legacy offer',
    200,
    envelope(400, 'User does not exist'),
    refused('recipient-unknown', 'User does not exist'),
  ],
  [
    'unknown account',
    'opencloud ocm-multi offer',
    404,
    message('user not found'),
    refused('recipient-unknown', 'user not found'),
  ],
  [
    'not on its list',
    'opencloud ocm-multi offer',
    401,
    message('provider not authorized'),
    refused('denied', 'provider not authorized'),
  ],
  ['our signature', 'reva ocm-multi offer', 401, '', refused('signature-refused')],
  ['our signature or secret', 'owncloud10 ocm-webdav share-accepted', 401, '', refused('denied')],
  ['wrong secret', 'owncloud10 ocm-webdav share-accepted', 403, message(''), refused('denied')],
  [
    'share is gone',
    'owncloud10 ocm-webdav share-accepted',
    400,
    message('Share with id 9 does not exist'),
    refused('share-unknown', 'Share with id 9 does not exist'),
  ],
  [
    'share is gone',
    'legacy legacy share-accepted',
    410,
    envelope(410, 'Share with id 9 does not exist'),
    refused('share-unknown', 'Share with id 9 does not exist'),
  ],
  [
    'a reshare is not for this recipient',
    'owncloud10 ocm-webdav reshare-requested',
    403,
    message('no'),
    refused('denied', 'no'),
  ],
  [
    'a reshare is left to who asks for it',
    'owncloud10 ocm-webdav reshare-requested',
    500,
    message('x'),
    refused('unsupported', 'x'),
  ],
  [
    'the same in the legacy dialect',
    'legacy legacy reshare-requested',
    200,
    envelope(500, 'x'),
    refused('unsupported', 'x'),
  ],
];

const NO_SECRET = refused('rejected', 'it granted the reshare without its secret');

const NEXT_DIALECT: Row[] = [
  ['nothing granted', 'owncloud10 ocm-webdav reshare-requested', 201, '[]', next(NO_SECRET)],
  ['half granted', 'nextcloud ocm-webdav reshare-requested', 201, '{"token":"s22"}', next(NO_SECRET)],
  [
    'no such message',
    'nextcloud ocm-webdav reshare-requested',
    501,
    message('x'),
    next(refused('unsupported', 'x')),
  ],
  ['no such address', 'legacy legacy reshare-requested', 404, PLAIN_404, next(refused('unsupported'))],
  ['missing parameter', 'unknown ocm-webdav offer', 400, message('nope'), next(refused('rejected', 'nope'))],
  [
    'options',
    'unknown ocm-webdav offer',
    400,
    message('protocol options not supported: {}'),
    next(refused('rejected', 'protocol options not supported: {}')),
  ],
  ['method', 'unknown ocm-webdav offer', 405, '', next(refused('rejected'))],
  ['size', 'unknown ocm-webdav offer', 413, HTML, next(refused('rejected'))],
  ['media type', 'unknown ocm-webdav offer', 415, '', next(refused('rejected'))],
  ['semantics', 'reva ocm-multi offer', 422, '', next(refused('rejected'))],
  [
    'protocol',
    'owncloud10 ocm-multi offer',
    501,
    message('Protocol multi is not supported'),
    next(refused('unsupported', 'Protocol multi is not supported')),
  ],
  ['switched off', 'legacy legacy offer', 501, envelope(501, ''), next(refused('unsupported'))],
  ['switched off on v1', 'legacy legacy offer', 200, envelope(501, ''), next(refused('unsupported'))],
  [
    'undo at ownCloud',
    'owncloud10 ocm-webdav reshare-undone',
    501,
    message('not supported'),
    next(refused('unsupported', 'not supported')),
  ],
  [
    'an end by a server that Nextcloud does not expect it from',
    'nextcloud ocm-webdav reshare-undone',
    400,
    message('remote instance c.example.org not linked to origin b.example.org'),
    next(refused('denied', 'remote instance c.example.org not linked to origin b.example.org')),
  ],
  ['no such address', 'unknown ocm-webdav offer', 404, HTML, next({ kind: 'rediscover' })],
  ['no such address', 'nextcloud ocm-webdav share-unshared', 404, PLAIN_404, next({ kind: 'rediscover' })],
  ['lowered already', 'legacy legacy reshare-permissions', 400, envelope(400), next(refused('rejected'))],
];

const GONE: Row[] = [
  ['ownCloud', 'owncloud10 ocm-webdav share-declined', 400, message('Share with id 9 does not exist'), {}],
  [
    'ownCloud, legacy',
    'owncloud10 legacy share-declined',
    410,
    envelope(410, 'Share with id 9 does not exist'),
    {},
  ],
  [
    'ownCloud, legacy v1',
    'owncloud10 legacy share-declined',
    200,
    envelope(410, 'Share with id 9 does not exist'),
    {},
  ],
  ['ownCloud, second revoke', 'owncloud10 legacy reshare-undone', 400, envelope(400), {}],
  ['Nextcloud, a repetition', 'nextcloud ocm-webdav share-unshared', 400, message('Bad'), {}],
  ['404 in JSON', 'unknown ocm-webdav share-unshared', 404, message('no'), {}],
  ['410', 'unknown ocm-webdav share-unshared', 410, '', {}],
  ['a server of the Go family', 'ocis ocm-multi share-unshared', 404, PLAIN_404, {}],
];

const SOFT: Row[] = [
  [
    'its own trouble',
    'nextcloud ocm-webdav offer',
    400,
    message('Internal error at https://x'),
    { words: 'Internal error at https://x', missesSignature: false },
  ],
  [
    'a signature',
    'nextcloud ocm-webdav offer',
    400,
    message('Invalid signature'),
    { words: 'Invalid signature', missesSignature: true },
  ],
  [
    'no signature',
    'nextcloud ocm-webdav share-unshared',
    400,
    message('Unsigned request'),
    { words: 'Unsigned request' },
  ],
  [
    'it wants one',
    'nextcloud ocm-webdav share-unshared',
    400,
    message('instance is supposed to sign its request'),
    {},
  ],
  ['it moved', 'unknown ocm-webdav offer', 301, '', {}],
  ['it moved', 'unknown ocm-webdav offer', 308, '', {}],
];

describe('the meaning of an answer', () => {
  const classify = (text: string, status: number, body: string, retryAfter: string | null = null): Outcome =>
    classifyAnswer(sent(text), { status, body, retryAfter }, NOW);

  it.each(SUCCESSES)('success or not: %s (%s, %d)', (_what, about, status, body, outcome) => {
    expect(classify(about, status, body)).toMatchObject(outcome);
  });

  it.each(RESHARES)('a granted reshare: %s (%s, %d)', (_what, about, status, body) => {
    const outcome = classify(about, status, body);
    expect(outcome.kind === 'delivered' && outcome.reshare?.providerId).toBe('77');
    expect(outcome.kind === 'delivered' && outcome.reshare?.sharedSecret.reveal()).toBe('s22');
    expect(JSON.stringify(outcome)).not.toContain('s22');
  });

  it.each(REFUSALS)('refused permanently: %s (%s, %d)', (_what, about, status, body, outcome) => {
    expect(classify(about, status, body)).toEqual(outcome);
  });

  it.each(NEXT_DIALECT)('refused in this dialect: %s (%s, %d)', (_what, about, status, body, outcome) => {
    expect(classify(about, status, body)).toMatchObject(outcome);
  });

  it.each(GONE)('already gone: %s (%s, %d)', (_what, about, status, body) => {
    expect(classify(about, status, body)).toEqual({ kind: 'already-gone' });
  });

  it.each(SOFT)('to be discovered again: %s (%s, %d)', (_what, about, status, body, outcome) => {
    expect(classify(about, status, body)).toMatchObject({ kind: 'rediscover', ...outcome });
  });

  it.each([
    [408, null, 'limited', null, false],
    [425, null, 'limited', null, false],
    [429, '120', 'limited', 120_000, false],
    [429, 'Sat, 21 Nov 2026 12:01:00 GMT', 'limited', 60_000, false],
    [429, 'Sat, 21 Nov 2026 11:00:00 GMT', 'limited', 0, false],
    [429, '99999999', 'limited', 86_400_000, false],
    [429, 'soon', 'limited', null, false],
    [429, '-5', 'limited', null, false],
    [500, null, 'partner-error', null, true],
    [502, null, 'partner-error', null, true],
    [503, '30', 'partner-error', 30_000, false],
    [504, null, 'partner-error', null, true],
    [599, null, 'partner-error', null, true],
  ])(
    '%d with Retry-After %s is tried again',
    (status, retryAfter, errorClass, retryAfterMs, mayHaveArrived) => {
      expect(classify('unknown ocm-webdav offer', status, HTML, retryAfter)).toEqual({
        kind: 'retry',
        errorClass,
        retryAfterMs,
        mayHaveArrived,
      });
    },
  );

  it.each([503, 500, 996])('the code %d in an envelope of v1 is tried again', (code) => {
    expect(classify('legacy legacy share-accepted', 200, envelope(code, 'x'))).toMatchObject({
      kind: 'retry',
      errorClass: 'partner-error',
    });
  });

  it.each(['{"ocs":null}', '{"ocs":{"meta":{"statuscode":{}}}}', '[]', 'null', '1', '"x"', '{"message":{}}'])(
    'invalid JSON does not cause an error: %s',
    (body) => {
      for (const status of [200, 201, 400, 404, 500]) {
        for (const about of [
          'unknown ocm-webdav offer',
          'legacy legacy offer',
          'legacy legacy reshare-requested',
        ]) {
          expect(classify(about, status, body).kind).toMatch(/^[a-z-]+$/);
        }
      }
    },
  );

  it.each([
    ['dns', { kind: 'retry', errorClass: 'dns', mayHaveArrived: false }],
    ['timeout', { kind: 'retry', errorClass: 'timeout', mayHaveArrived: false }],
    ['blocked', { kind: 'refused', reason: 'blocked' }],
    ['blocked-http', { kind: 'refused', reason: 'blocked-http' }],
    ['blocked-redirect', { kind: 'rediscover' }],
  ] as const)('no answer (%s)', (failure, outcome) => {
    expect(classifyFailure(failure, false)).toMatchObject(outcome);
  });
});
