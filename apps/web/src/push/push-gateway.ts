import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { AuthenticationFailed, StandingSignIns } from '#identity';
import {
  actingFor,
  canonicalTarget,
  clientAddressOf,
  CONFIG,
  LOGGER,
  pathOfTarget,
  type Config,
  type Logger,
} from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { PushChanges } from './push-changes';
import { PushHub } from './push-hub';
import { PushSocket } from './push-socket';

const PATH = '/push/ws';
/** Maximum size of a client's message in bytes: a user id, a password, or a word. */
const MOST_BYTES = 4096;
/** Time from the opening of a connection to its password. */
const SIGN_IN_MS = 15_000;
/** Maximum of messages that a client may send before it is signed in. */
const MOST_EARLY = 8;
/** Maximum of connections that have not signed in yet. */
const MOST_UNAUTHENTICATED = 1000;
const TRY_LATER = 1013;
const REFUSED = 1008;

/** Accepts WebSockets of clients with the protocol `notify_push`: they send their user id and password, and get messages about changes. */
@Injectable()
export class PushGateway implements OnModuleInit, OnModuleDestroy {
  private readonly sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MOST_BYTES,
    clientTracking: false,
  });
  private readonly strangers = new Set<WebSocket>();

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly hub: PushHub,
    private readonly changes: PushChanges,
    private readonly signIns: StandingSignIns,
    private readonly policy: CachedPolicy,
    @Inject(CONFIG) private readonly config: Pick<Config, 'TRUSTED_PROXIES'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const server = this.adapter.httpAdapter.getHttpServer() as Server & {
      shouldUpgradeCallback: (request: IncomingMessage) => boolean;
    };
    // A request for any other protocol is answered as an ordinary request.
    server.shouldUpgradeCallback = isForPushes;
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      if (!isForPushes(request)) return refuse(socket, '400 Bad Request');
      void this.admit(request, socket, head);
    });
  }

  onModuleDestroy(): void {
    for (const socket of this.strangers) socket.terminate();
  }

  private async admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const isOpen = await Promise.resolve()
      .then(() => assertInService(this.policy))
      .catch(() => false);
    if (!isOpen || this.hub.isFull || this.strangers.size >= MOST_UNAUTHENTICATED)
      return refuse(socket, '503 Service Unavailable');
    const address = clientAddressOf(request, this.config.TRUSTED_PROXIES);
    const forwardedFor = [request.headers['x-forwarded-for'] ?? []].flat().join(',') || undefined;
    this.sockets.handleUpgrade(request, socket, head, (opened) =>
      actingFor(undefined, () => this.greet(opened, address), {
        id: randomUUID(),
        ip: address,
        forwardedFor,
      }),
    );
  }

  /** The first message is a user id, the second a password; clients may send both without waiting for an answer. */
  private greet(socket: WebSocket, address: string): void {
    this.strangers.add(socket);
    const late = setTimeout(() => dismiss(socket, 'Authentication timeout'), SIGN_IN_MS).unref();
    const known = (): void => {
      clearTimeout(late);
      this.strangers.delete(socket);
    };
    let channel: PushSocket | undefined;
    const said: string[] = [];
    socket.on('message', (data, isBinary) => {
      const text = isBinary ? '' : textOf(data);
      if (channel) return channel.hear(text);
      said.push(text);
      if (said.length > MOST_EARLY) return socket.terminate();
      if (said.length !== 2) return;
      void this.signIn(socket, { uid: said[0]!, password: said[1]! }, address).then((opened) => {
        known();
        channel = opened;
        for (const later of said.splice(0).slice(2)) channel?.hear(later);
      });
    });
    socket.on('error', () => socket.terminate());
    socket.once('close', known);
  }

  private async signIn(
    socket: WebSocket,
    credentials: { uid: string; password: string },
    address: string,
  ): Promise<PushSocket | undefined> {
    try {
      const signIn = await this.signIns.open(credentials, address);
      await this.changes.begin();
      if (socket.readyState !== socket.OPEN) return undefined;
      const channel = new PushSocket(socket);
      const connection = this.hub.add(signIn, channel);
      if (!connection) return dismiss(socket, 'err: Limit exceeded', TRY_LATER);
      socket.on('pong', () => channel.answered());
      socket.on('ping', () => channel.answered());
      socket.once('close', () => this.hub.remove(connection));
      socket.send('authenticated');
      return channel;
    } catch (error) {
      if (error instanceof AuthenticationFailed) return dismiss(socket, ...refusalOf(error));
      this.logger.warn({ err: error, subsystem: 'push' }, 'a client could not be signed in');
      return dismiss(socket, 'err: Unavailable', TRY_LATER);
    }
  }
}

const isForPushes = ({ url, headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && pathOfTarget(canonicalTarget(url ?? '')) === PATH;

/** Milliseconds for a client to close its side before its connection is cut. */
const FAREWELL_MS = 1000;

/** Clients recognise the first text, and try three times. */
const refusalOf = ({ reason }: AuthenticationFailed): [string, number] =>
  reason === 'throttled' || reason === 'busy'
    ? ['err: Too many requests', TRY_LATER]
    : ['err: Invalid credentials', REFUSED];

function dismiss(socket: WebSocket, text: string, code = REFUSED): undefined {
  socket.send(text);
  socket.close(code);
  setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
}

function refuse(socket: Duplex, status: string): void {
  const retry = status.startsWith('503') ? 'Retry-After: 60\r\n' : '';
  socket.end(`HTTP/1.1 ${status}\r\n${retry}Content-Length: 0\r\nConnection: close\r\n\r\n`);
}

/** Each message arrives as one buffer, the default form. */
const textOf = (data: RawData): string => (data as Buffer).toString('utf8');
