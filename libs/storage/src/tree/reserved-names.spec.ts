import { refuseReserved } from './reserved-names';

it.each(['a.txt', 'part', 'a.parts'])('accepts %s', (name) => {
  expect(() => refuseReserved(name)).not.toThrow();
});

it.each(['a.part', 'a.PART', 'a.txt.filepart', 'a\\b', 'a\ufffe', '\uffff.txt'])('refuses %s', (name) => {
  expect(() => refuseReserved(name)).toThrow(expect.objectContaining({ code: 'name-refused' }));
});
