import { programOf } from './program-of';

describe('the program of a session', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', 'Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
      'Microsoft Edge',
      'Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      'Safari',
      'macOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
      'Chrome',
      'Android',
    ],
    [
      'Mozilla/5.0 (Linux) mirall/5.3.1 (ownCloud, debian-6.1 ClientArchitecture: x86_64)',
      'ownCloud desktop client',
      'Linux',
    ],
    [
      'Mozilla/5.0 (Windows) mirall/3.14.3 (Nextcloud, windows-10.0.22631)',
      'Nextcloud desktop client',
      'Windows',
    ],
    ['Mozilla/5.0 (Android) ownCloud-android/4.5.1', 'ownCloud app', 'Android'],
    ['Mozilla/5.0 (Android) Nextcloud-android/3.30.0', 'Nextcloud app', 'Android'],
    ['ownCloudApp/12.4.1 (App/301; iOS/17.5; iPhone)', 'ownCloud app', 'iOS'],
    ['Mozilla/5.0 (iOS) Nextcloud-iOS/5.4.0', 'Nextcloud app', 'iOS'],
    ['curl/8.14.1', null, null],
    ['something of our own', null, null],
    ['', null, null],
  ])('%s', (userAgent, program, system) => {
    expect(programOf(userAgent)).toEqual({ program, system });
  });
});
