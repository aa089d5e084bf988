import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { DataRowMessage, type BackendMessage } from 'pg-protocol/dist/messages';
import { Parser } from 'pg-protocol/dist/parser';

/**
 * Parts of the driver's parser that its types declare as private (pg-protocol 1.16): the bytes of a message of which not all has arrived, and
 * the method that reads a message. `length` is that of the message without its code.
 */
interface ParserInternals {
  buffer: Buffer;
  bufferOffset: number;
  bufferLength: number;
  parse(chunk: Buffer, onMessage: (message: BackendMessage) => void): void;
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): BackendMessage;
}

/** A part of the driver's connection that its types leave out (pg 8.23). */
interface ConnectionInternals {
  readonly stream: Duplex;
  attachListeners(stream: Duplex): void;
}

const DriverParser = Parser as unknown as new () => ParserInternals;

/** Bytes. The size that Node.js would read at once too. */
const READ_AT_ONCE = 65_536;
/** Each connection reads into these bytes, and they are parsed before the next read (ADR 0274). Node.js would allocate as many for each read. */
const ARRIVED = Buffer.allocUnsafeSlow(READ_AT_ONCE);

/** Code of the messages about the sign-in. */
const AUTHENTICATION = 82;
/** Code of the message `DataRow`. */
const DATA_ROW = 68;
/** Bytes of a message that its own length takes. */
const LENGTH = 4;
/** First byte of the length of a value that is NULL: the length is -1. Lengths of short rows begin with 0. */
const NULL = 255;
/** Bytes. A longer row has long texts, for which one text of the row would be made in vain. */
const SHORT = 1024;

/** Characters. V8 copies a shorter part of a text. A longer part refers to the text, and keeps all of it in memory. */
const COPIED = 13;

/** Reads short values from one text of the whole row. The driver decodes each value by a call out of JavaScript, which takes longer (ADR 0269). */
export class RowParser extends DriverParser {
  /** As `parse`, for bytes that change after the call. */
  parseOnce(bytes: Buffer, onMessage: (message: BackendMessage) => void): void {
    this.parse(bytes, onMessage);
    if (this.bufferLength === 0 || this.buffer !== bytes) return;
    this.buffer = Buffer.from(bytes.subarray(this.bufferOffset));
    this.bufferOffset = 0;
  }

  override handlePacket(offset: number, code: number, length: number, bytes: Buffer): BackendMessage {
    if (code !== DATA_ROW || length > SHORT)
      return super.handlePacket(offset, code, length, keptOf(code, bytes));
    const text = bytes.toString('latin1', offset, offset + length - LENGTH);
    const count = readShort(bytes, offset);
    const fields = new Array<string | null>(count);
    let at = offset + 2;
    for (let field = 0; field < count; field++) {
      if (bytes[at] === NULL) {
        fields[field] = null;
        at += 4;
        continue;
      }
      const start = at + 4;
      at = start + readShort(bytes, at + 2);
      fields[field] =
        at - start < COPIED && isAscii(bytes, start, at)
          ? text.substring(start - offset, at - offset)
          : bytes.toString('utf8', start, at);
    }
    return new DataRowMessage(length, fields);
  }
}

/** The driver keeps a part of the bytes of a sign-in, the salt, and reads it later. */
const keptOf = (code: number, bytes: Buffer): Buffer =>
  code === AUTHENTICATION ? Buffer.from(bytes) : bytes;

const readShort = (bytes: Buffer, at: number): number => bytes[at]! * 256 + bytes[at + 1]!;

/** Texts of ASCII are the same in UTF-8 and in Latin-1. */
function isAscii(bytes: Buffer, start: number, end: number): boolean {
  let bits = 0;
  for (let at = start; at < end; at++) bits |= bytes[at]!;
  return bits < 128;
}

/** A socket that reads into `ARRIVED`. A reader that pauses it, as that of COPY does, gets copies. */
const socketOfDriver = (): Socket => {
  const socket: Socket = new Socket({
    onread: {
      buffer: ARRIVED,
      callback: (length, buffer) => {
        const bytes = (buffer as Buffer).subarray(0, length);
        return socket.readableFlowing && socket.readableLength === 0
          ? socket.emit('data', bytes)
          : socket.push(Buffer.from(bytes));
      },
    },
  });
  return socket;
};

/** With TLS, other bytes are read from the socket than those of the messages. */
const streamFor = ({ ssl }: pg.ConnectionConfig): Socket => (ssl ? new Socket() : socketOfDriver());

/** A connection of the driver that reads rows by `RowParser`. For the option `Client` of a pool. */
export class DriverClient extends pg.Client {
  private readonly wire = (this as unknown as { connection: pg.Connection & ConnectionInternals }).connection;
  private isCollecting = false;

  constructor(options?: pg.ClientConfig) {
    super({ ...options, stream: streamFor as unknown as pg.ClientConfig['stream'] });
    const connection = this.wire;
    connection.attachListeners = (stream) => {
      const parser = new RowParser();
      const announce = (message: BackendMessage): boolean =>
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
      stream.on('data', (chunk: Buffer) => {
        parser.parseOnce(chunk, announce);
      });
    };
  }

  /** Sends the statements of this turn of the event loop together at its end, so that PostgreSQL is woken once for all of them. */
  sendTogether(): void {
    if (this.isCollecting) return;
    const { stream } = this.wire;
    this.isCollecting = true;
    stream.cork();
    setImmediate(() => {
      this.isCollecting = false;
      stream.uncork();
    });
  }
}
