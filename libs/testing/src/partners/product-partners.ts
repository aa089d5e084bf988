import type { ServerResponse } from 'node:http';
import {
  reply,
  replyJson,
  startFakeServer,
  type FakeServer,
  type FakeServerOptions,
  type RecordedRequest,
} from './fake-server';

/** A share that a fake partner accepted, in any form. */
interface TakenShare {
  readonly dialect: 'ocm' | 'legacy';
  readonly providerId: string;
  readonly recipient: string;
}

export interface FakePartner extends FakeServer {
  /** One entry per acceptance, so that repetitions are visible. */
  readonly taken: readonly TakenShare[];
}

export interface PartnerOptions extends FakeServerOptions {
  /** Existing user ids. */
  readonly users?: readonly string[];
}

const DEFAULT_USERS = ['bea', 'bob', 'marie'];
const ENVELOPE = { totalitems: '', itemsperpage: '' };

/** State of one fake partner, and its addresses. */
interface Scene {
  readonly users: readonly string[];
  readonly taken: TakenShare[];
  base(): string;
}

type Route = (scene: Scene, request: RecordedRequest, response: ServerResponse) => void;
type Routes = Readonly<Record<string, Route>>;

async function startPartner(
  routes: Routes,
  { users = DEFAULT_USERS, ...server }: PartnerOptions,
): Promise<FakePartner> {
  const taken: TakenShare[] = [];
  let url = '';
  const scene: Scene = { users, taken, base: () => url };
  const started = await startFakeServer((request, response) => {
    const path = request.path.split('?')[0]!;
    const key = `${request.method} ${path.replace(/\/cloud\/shares\/[^/]+\//, '/cloud/shares/*/')}`;
    const route = routes[key];
    if (route) route(scene, request, response);
    else reply(response, 404, '404 page not found', 'text/plain');
  }, server);
  url = started.url;
  return Object.assign(started, { taken });
}

/** Path of ownCloud's OCM messages. */
export const OWNCLOUD_OCM = '/index.php/apps/federatedfilesharing';
const LEGACY = '/ocs/v2.php/cloud/shares';

const ocsProvider: Route = (_scene, _request, response) =>
  replyJson(response, 200, {
    version: 2,
    services: {
      SHARING: { version: 1, endpoints: { share: '/ocs/v2.php/apps/files_sharing/api/v1/shares' } },
      FEDERATED_SHARING: { version: 1, endpoints: { share: LEGACY, webdav: '/public.php/webdav/' } },
    },
  });

function ocs(response: ServerResponse, statuscode: number, message: string | null, data: unknown = []): void {
  const status = statuscode === 200 ? 'ok' : 'failure';
  replyJson(response, statuscode, { ocs: { meta: { status, statuscode, message, ...ENVELOPE }, data } });
}

const legacyShare: Route = ({ users, taken }, { body }, response) => {
  const form = new URLSearchParams(body);
  const recipient = form.get('shareWith') ?? '';
  if (!users.includes(recipient)) return ocs(response, 400, 'User does not exist');
  taken.push({ dialect: 'legacy', providerId: form.get('remoteId') ?? '', recipient });
  ocs(response, 200, null);
};

const legacyDone: Route = (_scene, _request, response) => ocs(response, 200, null);

const LEGACY_ROUTES: Routes = {
  'GET /ocs-provider/': ocsProvider,
  [`POST ${LEGACY}`]: legacyShare,
  [`POST ${LEGACY}/*/accept`]: legacyDone,
  [`POST ${LEGACY}/*/decline`]: legacyDone,
  [`POST ${LEGACY}/*/unshare`]: legacyDone,
  [`POST ${LEGACY}/*/revoke`]: legacyDone,
  [`POST ${LEGACY}/*/permissions`]: legacyDone,
  [`POST ${LEGACY}/*/reshare`]: (_scene, _request, response) =>
    ocs(response, 200, null, { token: 'GrantedToken22xxxxxxxx', remoteId: '484' }),
};

interface OcmShareBody {
  readonly shareWith?: string;
  readonly providerId?: string;
  readonly resourceType?: string;
  readonly protocol?: {
    readonly name?: string;
    readonly options?: Readonly<Record<string, string>>;
    readonly webdav?: { readonly url?: string; readonly sharedSecret?: string };
  };
}

const recipientOf = ({ shareWith = '' }: OcmShareBody): string => shareWith.split('@')[0]!;

const ownCloudShare: Route = ({ users, taken }, request, response) => {
  const body = JSON.parse(request.body) as OcmShareBody;
  if (body.resourceType !== 'file') {
    return replyJson(response, 501, { message: `ResourceType ${body.resourceType} is not supported` });
  }
  if (body.protocol?.name !== 'webdav') {
    return replyJson(response, 501, { message: `Protocol ${body.protocol?.name} is not supported` });
  }
  if (!users.includes(recipientOf(body))) {
    return replyJson(response, 400, { message: `User ${recipientOf(body)} does not exist` });
  }
  taken.push({ dialect: 'ocm', providerId: body.providerId ?? '', recipient: recipientOf(body) });
  replyJson(response, 201, []);
};

const ownCloudNotice: Route = (_scene, request, response) => {
  const { notificationType: type } = JSON.parse(request.body) as { notificationType: string };
  if (type === 'RESHARE_UNDO') {
    return replyJson(response, 501, { message: `Notification of type ${type} is not supported` });
  }
  const isRequest = type === 'REQUEST_RESHARE';
  replyJson(response, 201, isRequest ? { sharedSecret: 'GrantedToken22xxxxxxxx', providerId: '59' } : []);
};

/** Behaves as ownCloud 10 and 11: discovery only at `/ocm-provider/`, OCM 1.0 with 201, and the legacy dialect. */
export function startOwnCloud(options: PartnerOptions = {}): Promise<FakePartner> {
  const discovery: Route = (scene, _request, response) =>
    replyJson(response, 200, {
      enabled: true,
      apiVersion: '1.0-proposal1',
      endPoint: `${scene.base()}${OWNCLOUD_OCM}`,
      shareTypes: [{ name: 'file', protocols: { webdav: '/public.php/webdav/' } }],
    });
  const routes = {
    'GET /ocm-provider/': discovery,
    [`POST ${OWNCLOUD_OCM}/shares`]: ownCloudShare,
    [`POST ${OWNCLOUD_OCM}/notifications`]: ownCloudNotice,
    ...LEGACY_ROUTES,
  };
  return startPartner(routes, options);
}

/** Behaves as a server from before OCM: `/ocs-provider/` and the legacy dialect. */
export function startLegacyServer(options: PartnerOptions = {}): Promise<FakePartner> {
  return startPartner(LEGACY_ROUTES, options);
}

/** Behaves as Nextcloud 28 and newer: discovery at all three paths, requires `sharedBy`, answers with the recipient's name. */
export function startNextcloud(options: PartnerOptions = {}): Promise<FakePartner> {
  const discovery: Route = (scene, _request, response) =>
    replyJson(response, 200, {
      enabled: true,
      apiVersion: '1.0-proposal1',
      version: '1.1.0',
      endPoint: `${scene.base()}/ocm`,
      resourceTypes: [
        { name: 'file', shareTypes: ['user', 'group'], protocols: { webdav: '/public.php/webdav/' } },
      ],
      capabilities: ['invite-accepted', 'notifications', 'shares'],
    });
  const share: Route = ({ users, taken }, request, response) => {
    const body = JSON.parse(request.body) as OcmShareBody & { sharedBy?: string };
    if (!body.sharedBy)
      return replyJson(response, 400, { message: 'Missing arguments', validationErrors: [] });
    if (!users.includes(recipientOf(body))) {
      return replyJson(response, 400, { message: 'User not found', validationErrors: [] });
    }
    taken.push({ dialect: 'ocm', providerId: body.providerId ?? '', recipient: recipientOf(body) });
    replyJson(response, 201, { recipientDisplayName: 'Marie', recipientUserId: recipientOf(body) });
  };
  const routes = {
    'GET /.well-known/ocm': discovery,
    'GET /ocm-provider/': discovery,
    'GET /ocm-provider': discovery,
    'POST /ocm/shares': share,
    'POST /ocm/notifications': ownCloudNotice,
    ...LEGACY_ROUTES,
  };
  return startPartner(routes, options);
}

/** Behaves as OpenCloud: only `/.well-known/ocm`; answers OCM 1.1 with 200 and `{}`, refuses any option, ignores notices. */
export function startOpenCloud(options: PartnerOptions = {}): Promise<FakePartner> {
  const discovery: Route = (scene, _request, response) =>
    replyJson(response, 200, {
      enabled: true,
      apiVersion: '1.1.0',
      endPoint: `${scene.base()}/ocm`,
      provider: 'OpenCloud',
      resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: '/dav/ocm' } }],
      capabilities: ['/invite-accepted'],
    });
  const refuse = (response: ServerResponse, status: number, code: string, message: string): void =>
    replyJson(response, status, { code, message });
  const share: Route = ({ users, taken }, request, response) => {
    const body = JSON.parse(request.body) as OcmShareBody;
    if (Object.keys(body.protocol?.options ?? {}).length > 0) {
      const shown = JSON.stringify(body.protocol?.options);
      return refuse(response, 400, 'INVALID_PARAMETER', `protocol options not supported: ${shown}`);
    }
    if (!body.protocol?.webdav?.url) return refuse(response, 400, 'INVALID_PARAMETER', 'no address');
    if (!users.includes(recipientOf(body)))
      return refuse(response, 404, 'RESOURCE_NOT_FOUND', 'user not found');
    taken.push({ dialect: 'ocm', providerId: body.providerId ?? '', recipient: recipientOf(body) });
    reply(response, 200, '{}\n', 'text/plain; charset=utf-8');
  };
  const routes = {
    'GET /.well-known/ocm': discovery,
    'POST /ocm/shares': share,
    'POST /ocm/notifications': ((_scene, _request, response) => reply(response, 201, '')) as Route,
  };
  return startPartner(routes, options);
}
