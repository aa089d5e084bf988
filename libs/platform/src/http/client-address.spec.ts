import type { IncomingMessage } from 'node:http';
import { readConfig } from '../config/read-config';
import { clientAddressOf } from './client-address';

const { TRUSTED_PROXIES } = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8' });

describe('the address of the client behind a message', () => {
  it.each<[string, string | undefined, string]>([
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['10.0.0.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
  ])('from %s with X-Forwarded-For %j is %s', (remoteAddress, forwardedFor, address) => {
    const headers = { 'x-forwarded-for': forwardedFor };
    const message = { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
    expect(clientAddressOf(message, TRUSTED_PROXIES)).toBe(address);
  });
});
