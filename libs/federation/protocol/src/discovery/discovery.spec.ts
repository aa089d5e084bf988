import type { ProfileOptions } from '../peers/decide-profile';
import { concludeDiscovery, type Probe } from './conclude';
import KNOWN from './known-documents.json';
import { readOcmDocument, readOcsDocument, type OcmDocument, type OcsDocument } from './read-documents';
import { ocmDiscovery, ocsDiscovery, olderOcmDiscovery } from './served-documents';

const BASE = 'https://cloud.example.org';
const OPTIONS_OF_OURS = {
  publicUrl: BASE,
  productName: 'Drawbridge',
  capabilities: ['notifications'],
  criteria: [],
  shareTypes: ['user'],
  webapps: { outgoing: false, incoming: false },
};
const OURS = ocmDiscovery(OPTIONS_OF_OURS);
const files = (webdav: unknown, name = 'file'): object => ({
  name,
  shareTypes: ['user'],
  protocols: { webdav },
});
const OPTIONS: ProfileOptions = { named: [], ownName: 'Drawbridge', now: 1_000 };

describe('reading a discovery document', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['a text', 'enabled'],
    ['no version', { enabled: true, endPoint: BASE }],
    ['no address', { enabled: true, apiVersion: '1.0' }],
    ['an object as address', { enabled: true, apiVersion: '1.0', endPoint: {} }],
    ['an endless address', { enabled: true, apiVersion: '1.0', endPoint: `${BASE}/${'x'.repeat(5000)}` }],
    ['an endless version', { enabled: true, apiVersion: '1'.repeat(99), endPoint: BASE }],
  ])('%s is not a document', (_what, value) => expect(readOcmDocument(value)).toBeUndefined());

  it('tolerates members of the wrong type', () => {
    const odd = {
      ...KNOWN.nextcloud,
      resourceTypes: [1, null, { name: {}, protocols: [] }, files({}), files('/dav')],
      capabilities: [1, 'x', {}],
      criteria: 'all',
    };
    expect(readOcmDocument(odd)).toMatchObject({ webdav: '/dav', capabilities: ['x'], criteria: [] });
  });

  it('needs a service that supports shares', () => {
    expect(readOcsDocument({ services: {} })).toBeUndefined();
    expect(readOcsDocument({ services: { FEDERATED_SHARING: { endpoints: { share: '/s' } } } })).toEqual({
      share: '/s',
      webdav: '/public.php/webdav/',
    });
  });
});

describe('conclusions of discovery', () => {
  const none = { kind: 'none' } as const;
  const failed = { kind: 'failed', errorClass: 'partner-error' } as const;
  const found = { kind: 'document', document: readOcmDocument(KNOWN.owncloud)! } as const;
  const legacy = { kind: 'document', document: readOcsDocument(KNOWN.ocsProvider)! } as const;
  const conclude = (ocm: Probe<OcmDocument>[], ocs: Probe<OcsDocument>) =>
    concludeDiscovery(BASE, ocm, ocs, OPTIONS);

  it.each<[string, Probe<OcmDocument>[], Probe<OcsDocument>, string, string | null]>([
    ['a document', [found], legacy, 'partner', 'owncloud10'],
    ['a document after a no', [none, found], none, 'partner', 'owncloud10'],
    ['a document after trouble', [failed, found], failed, 'partner', 'owncloud10'],
    ['refusals, and the legacy dialect', [none, none, none], legacy, 'partner', 'legacy'],
    ['refusals only', [none, none, none], none, 'no-partner', null],
    ['trouble, never the legacy dialect', [none, failed, none], legacy, 'inconclusive', null],
    ['trouble at the last question', [none, none, none], failed, 'inconclusive', null],
  ])('%s', (_what, ocm, ocs, kind, product) => {
    const conclusion = conclude(ocm, ocs);
    expect(conclusion.kind).toBe(kind);
    expect(conclusion.kind === 'partner' ? conclusion.profile.product : null).toBe(product);
  });
});

describe('our own documents', () => {
  interface Served {
    readonly apiVersion: string;
    readonly shareTypes?: readonly object[];
    readonly resourceTypes: readonly { readonly name: string; readonly protocols: Record<string, unknown> }[];
  }

  it('follow the specification', () => {
    const { apiVersion, shareTypes, resourceTypes } = OURS as Served;
    expect([apiVersion, shareTypes]).toEqual(['1.4.0', undefined]);
    expect(resourceTypes.map(({ name }) => name)).toEqual(['file', 'folder']);
    for (const { protocols } of resourceTypes)
      expect(protocols).toEqual({ webdav: '/public.php/webdav/', 'webdav-receive': { uri: 'relative' } });
  });

  it('are readable for every older product', () => {
    const document = olderOcmDiscovery(OPTIONS_OF_OURS) as Served;
    expect(document.apiVersion).toBe('1.1.0');
    expect(document.shareTypes).toHaveLength(1);
    expect(document.resourceTypes.map(({ name }) => name)).toEqual(['file', 'folder']);
    for (const { protocols } of document.resourceTypes) {
      // ownCloud accepts only these letters; oCIS and OpenCloud accept only texts.
      expect(protocols['webdav']).toMatch(/^[/.A-Za-z0-9]+\/$/);
      expect(Object.values(protocols).every((value) => typeof value === 'string')).toBe(true);
    }
    expect(readOcsDocument(ocsDiscovery())!.share).toMatch(/^[/.A-Za-z0-9]+$/);
  });
});
