import { OcsParameters, ParameterRefused, readForm, readInput, readJsonObject } from '#ocs/protocol';
import { SharingFailed, type Compatibility } from '#sharing';
import { CREATE_SHARE, createCommandOf, UPDATE_SHARE, updateCommandOf } from './share-parameters';

const parametersOf = (sent: string | object): OcsParameters => {
  const values = readForm(typeof sent === 'string' ? sent : '');
  if (typeof sent === 'object') readJsonObject(JSON.stringify(sent), values);
  return new OcsParameters(values);
};
const creation = (sent: string | object, mode: Compatibility = 'documented') =>
  createCommandOf(readInput(CREATE_SHARE, parametersOf(sent)), mode);
const update = (sent: string | object, mode: Compatibility = 'documented') => {
  const parameters = parametersOf(sent);
  return updateCommandOf(1, readInput(UPDATE_SHARE, parameters), parameters, mode);
};

describe('the type of a share', () => {
  it.each([
    ['shareType=0', 0],
    ['shareType=3', 3],
    [{ shareType: 6 }, 6],
    [{ shareType: '1' }, 1],
  ])('is read from %j', (sent, type) => {
    expect(creation(sent).shareType).toBe(type);
  });

  it.each([
    '',
    'shareType=',
    'shareType=abc',
    'shareType=0.0',
    'shareType=0x0',
    'shareType=%200',
    'shareType=-0',
    'shareType=3abc',
    'shareType[]=0',
    { shareType: null },
    { shareType: false },
    { shareType: true },
    { shareType: [3] },
    { shareType: { 0: 0 } },
    { shareType: 0.5 },
  ])('is unknown in %j', (sent) => {
    expect(creation(sent).shareType).toBe(-1);
  });
});

describe('lists where a single value is expected', () => {
  it.each(['password', 'expireDate', 'name', 'permissions'])('are refused for %s', (name) => {
    for (const sent of [`${name}[]=x`, `${name}[a]=x`, { [name]: ['x'] }, { [name]: {} }]) {
      expect(() => creation(sent)).toThrow(ParameterRefused);
      expect(() => update(sent)).toThrow(`The parameter ${name} takes a single value`);
    }
  });
});

describe('publicUpload', () => {
  it.each([
    ['publicUpload=true', true],
    ['publicUpload=false', false],
    [{ publicUpload: 'true' }, true],
    [{ publicUpload: null }, undefined],
    ['', undefined],
  ])('in both modes is read from %j', (sent, flag) => {
    expect(creation(sent, 'documented').publicUpload).toBe(flag);
    expect(creation(sent, 'owncloud10').publicUpload).toBe(flag);
  });

  it('is a boolean of a JSON body only in documented mode', () => {
    expect(creation({ publicUpload: true }, 'documented').publicUpload).toBe(true);
    expect(creation({ publicUpload: true }, 'owncloud10').publicUpload).toBeUndefined();
  });

  it.each([
    'publicUpload=1',
    'publicUpload=',
    'publicUpload=True',
    'publicUpload[]=true',
    { publicUpload: 1 },
  ])('is refused or ignored as %j', (sent) => {
    expect(() => creation(sent, 'documented')).toThrow(new SharingFailed('upload-flag-invalid'));
    expect(creation(sent, 'owncloud10').publicUpload).toBeUndefined();
    expect(update(sent, 'owncloud10')).toMatchObject({ publicUpload: undefined, argumentCount: 1 });
  });
});

describe('attributes', () => {
  const VIEW_ONLY = [{ scope: 'permissions', key: 'download', enabled: false }];

  it.each([
    ['attributes[0][scope]=permissions&attributes[0][key]=download&attributes[0][enabled]=false'],
    [`attributes=${encodeURIComponent('[{"scope":"permissions","key":"download","value":false}]')}`],
    [{ attributes: VIEW_ONLY }],
    [{ attributes: JSON.stringify(VIEW_ONLY) }],
  ])('are read from %j', (sent) => {
    expect(creation(sent).attributes).toEqual(VIEW_ONLY);
    expect(update(sent)).toMatchObject({ attributes: VIEW_ONLY, argumentCount: 0 });
  });

  it('are also sent to another server', () => {
    expect(creation({ shareType: 6, attributes: VIEW_ONLY }).attributes).toEqual(VIEW_ONLY);
  });

  it.each(['attributes=nonsense', 'attributes[0]=x', { attributes: 1 }, { attributes: [{}] }])(
    'are refused as %j',
    (sent) => {
      expect(() => creation(sent)).toThrow(new SharingFailed('attributes-invalid'));
      expect(() => update(sent)).toThrow(new SharingFailed('attributes-invalid'));
    },
  );
});
