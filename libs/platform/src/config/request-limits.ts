import * as parse from './parsers';
import { required } from './variable';

/** The variables that limit connections and the bodies of requests. */
export const REQUEST_LIMITS = {
  MAX_REQUEST_BODY: required({
    parse: parse.byteSize(1024),
    fallback: '1MB',
    meaning: 'Largest body of an API request. File content is streamed, without this limit.',
  }),
  HELD_BODIES: required({
    parse: parse.byteSize(1024),
    fallback: '16MB',
    meaning:
      'Bytes of request bodies that one process holds at once. Above it, the address with the most bytes gets 503 with Retry-After. File content is streamed and not counted.',
  }),
  HELD_BODIES_PER_ADDRESS: required({
    parse: parse.byteSize(1024),
    fallback: '4MB',
    meaning:
      'Part of these bytes for the requests of one client address; one body of MAX_REQUEST_BODY always fits.',
  }),
  MIN_BODY_RATE: required({
    parse: parse.byteSize(0),
    fallback: '500B',
    meaning:
      'Bytes of a body that have to arrive in each second, on average over CLIENT_TIMEOUT; slower clients are disconnected. 0B sets no limit.',
  }),
  CONNECTIONS_PER_ADDRESS: required({
    parse: parse.integer(1, 1_000_000),
    fallback: '500',
    meaning:
      'Connections that one address may have to one process; more are closed. TRUSTED_PROXIES may have any number.',
  }),
  PUSH_CONNECTIONS: required({
    parse: parse.integer(0, 1_000_000),
    fallback: '20000',
    meaning:
      'Connections through which one process of the app `web` sends changes to clients and pages; more are refused with 503, and those clients check from time to time. A connection takes about 15 kB.',
  }),
} as const;
