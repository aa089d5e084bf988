import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Config } from '../config/table';
import type { Logger } from '../logging';
import { Tracing } from '../tracing/tracing';
import { allowOrigins, refuseForeignPages } from './cross-origin';
import { canonicalTarget } from './canonical-target';
import { boundConnections } from './connection-bounds';
import { inviteBodiesWhenRead } from './expected-bodies';
import { keepBodies } from './request-bodies';
import { sendRepliesTogether } from './replies-together';
import { boundRequests } from './request-bounds';
import { followEnds } from './request-ends';
import { followRequests, requestIdOf } from './request-origins';
import { addSecurityHeaders, securityHeaders } from './security-headers';
import { cutSlowBodies, cutSlowClients, refuseMalformed } from './slow-clients';
import { handleInTurn } from './requests-in-turn';
import { isTrusted } from './trusted-address';
import { leaveBodiesUnread } from './unread-bodies';
import { UnreadRequests } from './unread-requests';

const MAX_HEADER_BYTES = 16 * 1024;

/** Answers a request whose path is so odd that it has no route. */
export type PresentRefusal = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

/** The HTTP server of every app: limits, trusted proxies, and bodies as bytes for the edges to parse. */
export function createFastify(
  config: Config,
  presentRefusal: PresentRefusal,
  logger: Logger,
  tracing: Tracing = Tracing.off,
): FastifyInstance {
  const secure = securityHeaders(config);
  const unread = new UnreadRequests(logger);
  const instance = fastify({
    logger: false,
    genReqId: (request) => requestIdOf(request, config.TRUSTED_PROXIES),
    bodyLimit: config.MAX_REQUEST_BODY,
    trustProxy:
      config.TRUSTED_PROXIES.length > 0 && ((address) => isTrusted(address, config.TRUSTED_PROXIES)),
    forceCloseConnections: 'idle',
    // While the app closes, requests on kept connections are answered as usual, and end the connection.
    return503OnClosing: false,
    requestTimeout: 0,
    keepAliveTimeout: 65_000,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: config.CLIENT_TIMEOUT,
      connectionsCheckingInterval: Math.min(5000, config.CLIENT_TIMEOUT),
    },
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, unread),
    routerOptions: { maxParamLength: 4096 },
    rewriteUrl: (request) => {
      // The framework has no handlers for REPORT. Both methods are searches, and their bodies are distinct.
      if (request.method === 'REPORT') request.method = 'SEARCH';
      return canonicalTarget(request.url ?? '/');
    },
    // A path with broken percent-encoding or an over-long part has no route.
    frameworkErrors: (error, request, reply) => {
      secure(reply);
      presentRefusal(error, request, reply);
    },
  }) as unknown as FastifyInstance;
  inviteBodiesWhenRead(instance.server);
  cutSlowClients(instance.server, config.CLIENT_TIMEOUT);
  cutSlowBodies(instance.server, { windowMs: config.CLIENT_TIMEOUT, bytesPerSecond: config.MIN_BODY_RATE });
  boundConnections(instance.server, config, unread);
  handleInTurn(instance);
  followEnds(instance);
  followRequests(instance, config, tracing);
  addSecurityHeaders(instance, secure);
  boundRequests(instance, unread);
  allowOrigins(instance, config.CORS_ORIGINS);
  refuseForeignPages(instance, config);
  keepBodies(instance, config, unread);
  leaveBodiesUnread(instance);
  sendRepliesTogether(instance);
  return instance;
}
