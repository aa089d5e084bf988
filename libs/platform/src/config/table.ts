import type { z } from 'zod';
import { CONTENT_VARIABLES } from './content-variables';
import { IDENTITY_VARIABLES } from './identity-variables';
import { LDAP_VARIABLES } from './ldap-variables';
import * as parse from './parsers';
import { QUEUE_VARIABLES } from './queue-variables';
import { REQUEST_LIMITS } from './request-limits';
import { optional, required } from './variable';

/**
 * Every environment variable of the product. `.env.example` and docs/operations/configuration.md are
 * generated from this table (`npm run generate`), in this order.
 */
export const VARIABLES = {
  PORT: required({
    parse: parse.integer(0, 65535),
    fallback: '8080',
    meaning: 'TCP port to listen on; 0 takes a free one.',
  }),
  HOST: required({
    parse: parse.text,
    fallback: '127.0.0.1',
    meaning: 'Address to listen on; 0.0.0.0 or :: for all.',
  }),
  PUBLIC_URL: optional({
    parse: parse.webAddress,
    meaning: 'Address of this instance for clients and partners; made from HOST and PORT when absent.',
    example: 'https://cloud.example.org',
  }),
  DATA_DIR: required({
    parse: parse.text,
    fallback: './data',
    meaning:
      'Directory of the embedded database, of file content (unless BLOB_STORE says otherwise) and of generated secrets.',
  }),
  DATABASE_URL: optional({
    parse: parse.postgresAddress,
    meaning: 'An external PostgreSQL (15 or newer). Without it, apps/standalone runs its own under DATA_DIR.',
    example: 'postgres://drawbridge:secret@db.example.org:5432/drawbridge',
    secret: true,
  }),
  DATABASE_POOL: required({
    parse: parse.integer(2, 200),
    fallback: '10',
    meaning: 'Database connections of one process at most.',
  }),
  DATABASE_POOLER_URL: optional({
    parse: parse.postgresAddress,
    meaning:
      'A pooler of connections in transaction mode, such as PgBouncer, in front of the database of DATABASE_URL. Statements of requests and jobs go through it; the feed of changes, the queue without Redis, migrations and commands keep sessions and use DATABASE_URL.',
    example: 'postgres://drawbridge:secret@pooler.example.org:6432/drawbridge',
    secret: true,
  }),
  DATABASE_POOLER_PREPARES: required({
    parse: parse.flag,
    fallback: 'false',
    meaning:
      'Whether the pooler keeps prepared statements, as PgBouncer does from 1.21 on with max_prepared_statements. Otherwise every statement is planned again.',
  }),
  DATABASE_REPLICA_URL: optional({
    parse: parse.postgresAddress,
    meaning:
      'A standby of the database of DATABASE_URL (streaming replication). Lists of shares and the search for recipients are read there when it has applied every acknowledged change; otherwise, and for everything else, DATABASE_URL is used.',
    example: 'postgres://drawbridge:secret@db-standby.example.org:5432/drawbridge',
    secret: true,
  }),
  ...QUEUE_VARIABLES,
  DELIVERY_CONCURRENCY: required({
    parse: parse.integer(1, 1000),
    fallback: '50',
    meaning:
      'Messages to partners that one process sends at once; each partner has separate limits too. Those that a partner leaves without an answer for a quarter of a second do not count, up to forty times this number.',
  }),
  ADMIN_USER: required({
    parse: parse.text,
    fallback: 'admin',
    meaning: 'User id of the first administrator, who is created if there is no account yet.',
  }),
  ADMIN_PASSWORD: optional({
    parse: parse.text,
    meaning:
      'Password of the first administrator. Without it, apps/standalone generates one and writes it to DATA_DIR/admin-password only, where it stays until it is changed. A later start never resets it.',
    example: 'choose-a-long-one',
    secret: true,
  }),
  ...CONTENT_VARIABLES,
  ...IDENTITY_VARIABLES,
  ...LDAP_VARIABLES,
  COMPATIBILITY: required({
    parse: parse.oneOf('documented', 'owncloud10'),
    fallback: 'documented',
    meaning:
      'Behaviour if the interface document and deployed servers disagree: documented (exactly as in the document) or owncloud10 (as existing desktop, web and mobile clients need it).',
  }),
  METRICS_PORT: optional({
    parse: parse.integer(0, 65_535),
    meaning:
      'Port (at HOST) on which /metrics is served in the form of Prometheus; without it nothing is measured. It must not be reachable from the internet.',
    example: '9464',
  }),
  LOG_LEVEL: required({
    parse: parse.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    fallback: 'info',
    meaning: 'Lowest level of written log lines.',
  }),
  OUTPUT: required({
    parse: parse.oneOf('text', 'json'),
    fallback: 'text',
    meaning:
      'Form of the other output of a process, at its start and its end: text for people, or json for log lines. Images have json.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional({
    parse: parse.webAddress,
    meaning:
      'Address of a collector for traces (OTLP over HTTP, below /v1/traces); without it nothing is traced. It is not checked as addresses of partners are.',
    example: 'http://otel-collector:4318',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: required({
    parse: parse.headerList,
    fallback: '',
    meaning: 'Headers that the collector requires, as name=value separated by commas; none by default.',
    example: 'authorization=Bearer%20secret',
    secret: true,
  }),
  OTEL_SERVICE_NAME: optional({
    parse: parse.shortName,
    meaning: "Name of the process in traces; drawbridge- with the app's name when absent.",
    example: 'drawbridge-share-api',
  }),
  OTEL_TRACES_SAMPLER: required({
    parse: parse.oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    fallback: 'parentbased_always_on',
    meaning:
      'Traces that are recorded: all, none, or the part in OTEL_TRACES_SAMPLER_ARG; parentbased_ follows the decision at the beginning of a trace.',
  }),
  OTEL_TRACES_SAMPLER_ARG: required({
    parse: parse.ratio,
    fallback: '1',
    meaning: 'The part of all traces that a sampler named ...traceidratio records, from 0 to 1.',
  }),
  TRACE_CONTEXT_FROM: required({
    parse: parse.cidrList,
    fallback: '',
    meaning:
      'Addresses or ranges of callers whose traces are continued: proxies that write a traceparent of their own, or other instances of yours. The traceparent of other callers is only noted as a link; none by default.',
    example: '10.0.0.0/8',
  }),
  TRUSTED_PROXIES: required({
    parse: parse.cidrList,
    fallback: '',
    meaning:
      'Addresses or ranges of proxies whose X-Forwarded-For, X-Forwarded-Proto and X-Request-Id are used; none by default.',
    example: '10.0.0.0/8',
  }),
  CLIENT_TIMEOUT: required({
    parse: parse.duration(100, 3_600_000),
    fallback: '60s',
    meaning:
      'Maximum time for the headers of a request, and for a pause of a client in the middle of a body or of its answer.',
  }),
  CORS_ORIGINS: required({
    parse: parse.originList,
    fallback: '',
    meaning:
      'Origins whose pages may read answers and make changes in a browser, in addition to the origin of PUBLIC_URL.',
    example: 'https://office.example.org',
  }),
  CALLS_PER_MINUTE: required({
    parse: parse.integer(1, 100_000_000),
    fallback: '120000',
    meaning:
      'Calls without an account (discovery, messages of partners, public links) of one address in a minute, for all replicas together; calls with the secret of a share count for its partner instead.',
  }),
  FAILED_CALLS_PER_MINUTE: required({
    parse: parse.integer(1, 100_000_000),
    fallback: '300',
    meaning:
      'Such calls of one address in a minute that may fail. Above it, only calls with a right secret are accepted from there.',
  }),
  PARTNER_CALLS_PER_MINUTE: required({
    parse: parse.integer(1, 100_000_000),
    fallback: '600000',
    meaning:
      'Messages of one partner in a minute, and as many requests for content, for all replicas together.',
  }),
  ENCRYPTION_KEY: optional({
    parse: parse.text,
    meaning:
      'Key (32 bytes as 64 hexadecimal digits) that encrypts stored secrets. apps/standalone makes one under DATA_DIR; elsewhere this or ENCRYPTION_KEY_FILE is required.',
    example: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    secret: true,
  }),
  ENCRYPTION_KEY_FILE: optional({
    parse: parse.text,
    meaning: 'File with the encryption key, instead of ENCRYPTION_KEY.',
    example: '/run/secrets/encryption-key',
  }),
  ENCRYPTION_KEY_PREVIOUS: optional({
    parse: parse.text,
    meaning:
      'Another key that may have encrypted stored secrets, during a change of the key (see docs/operations/keys.md). Nothing new is encrypted with it.',
    example: 'fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210',
    secret: true,
  }),
  ENCRYPTION_KEY_PREVIOUS_FILE: optional({
    parse: parse.text,
    meaning: 'File with that key, instead of ENCRYPTION_KEY_PREVIOUS.',
    example: '/run/secrets/encryption-key-previous',
  }),
  PASSWORD_QUEUE: required({
    parse: parse.integer(1, 10_000),
    fallback: '200',
    meaning:
      'Sign-ins that may wait for a processor, and the same number of visits of protected links and of changes of passwords; above it requests get 503 with Retry-After. One address or account has at most a quarter of them.',
  }),
  ...REQUEST_LIMITS,
  FEDERATION_ALLOW_HTTP: required({
    parse: parse.flag,
    fallback: 'false',
    meaning:
      'Whether partners may be reached by http: only partners with an address in FEDERATION_ALLOW_ADDRESSES, and only after https failed.',
  }),
  FEDERATION_ALLOW_ADDRESSES: required({
    parse: parse.cidrList,
    fallback: '',
    meaning:
      'Addresses or ranges of partners that would be refused because they are not public (private, loopback, link-local and the like); none by default.',
    example: '10.20.0.0/16',
  }),
  FEDERATION_SYNC_WAIT: required({
    parse: parse.duration(0, 30_000),
    fallback: '4s',
    meaning:
      "How long the creation of a federated share waits for the partner's verdict before it answers without one.",
  }),
  FEDERATION_OFFER_TIMEOUT: required({
    parse: parse.duration(1_000, 100_000),
    fallback: '90s',
    meaning:
      'How long a partner may take to answer an offer, if a repeated offer could become a second share there. The creator of the share does not wait for it.',
  }),
  SHUTDOWN_DELAY: required({
    parse: parse.duration(0, 600_000),
    fallback: '0s',
    meaning:
      'How long requests are still accepted after a signal to stop, while /health/ready already fails: the time until proxies notice. On Kubernetes the preStop sleep has this purpose.',
  }),
  SHUTDOWN_GRACE: required({
    parse: parse.duration(0, 600_000),
    fallback: '20s',
    meaning: 'How long running requests may continue after a signal to stop and SHUTDOWN_DELAY.',
  }),
  SMTP_URL: optional({
    parse: parse.smtpAddress,
    meaning:
      'Mail server for notices of shares: smtps://user:password@host or smtp://host:port (with STARTTLS if the server offers it; ?requireTLS=true requires it). Without it no mail is sent.',
    example: 'smtps://drawbridge:secret@mail.example.org',
    secret: true,
  }),
  MAIL_FROM: optional({
    parse: parse.mailAddress,
    meaning: 'Sender address of mails; sharing-noreply at the host of PUBLIC_URL when absent.',
    example: 'sharing@example.org',
  }),
} as const;

/** Configuration of a process; absent optional variables are undefined. */
export type Config = {
  readonly [K in keyof typeof VARIABLES]: (typeof VARIABLES)[K] extends { fallback: string }
    ? z.infer<(typeof VARIABLES)[K]['parse']>
    : z.infer<(typeof VARIABLES)[K]['parse']> | undefined;
};
