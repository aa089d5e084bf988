import * as parse from './parsers';
import { required } from './variable';

/** The variables that limit connections and the bodies of requests. */
export const REQUEST_LIMITS = {
  MAX_REQUEST_BODY: required({
    parse: parse.byteSize(1024),
    fallback: '1MB',
    meaning: 'Largest body of an API request. File content is streamed and not bounded by it.',
  }),
  HELD_BODIES: required({
    parse: parse.byteSize(1024),
    fallback: '16MB',
    meaning:
      'Bytes of request bodies that one process holds at once. Beyond it the address that holds most gets 503 with Retry-After. File content is streamed and not counted.',
  }),
  HELD_BODIES_PER_ADDRESS: required({
    parse: parse.byteSize(1024),
    fallback: '4MB',
    meaning:
      'Bytes of them that the requests of one client address may have; one body of MAX_REQUEST_BODY always fits.',
  }),
  MIN_BODY_RATE: required({
    parse: parse.byteSize(0),
    fallback: '500B',
    meaning:
      'How much of a body has to come in each second, on average over CLIENT_TIMEOUT; clients that send less are cut. 0B lets them be.',
  }),
  CONNECTIONS_PER_ADDRESS: required({
    parse: parse.integer(1, 1_000_000),
    fallback: '500',
    meaning:
      'Connections that one address may have to one process; more are cut. TRUSTED_PROXIES may have any number.',
  }),
  PUSH_CONNECTIONS: required({
    parse: parse.integer(0, 1_000_000),
    fallback: '20000',
    meaning:
      'Connections by which one process of the app `web` tells clients and pages of changes; more are refused with 503, and those clients ask from time to time. A connection takes about 15 kB.',
  }),
} as const;
