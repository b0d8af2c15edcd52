import { expect, it } from 'vitest'
import { passwordStrength } from './password-strength.ts'

it('calls short passwords too short, whatever they are made of', () => {
  expect(passwordStrength('aB3$xyz').level).toBe(0)
})

it('sees through repetition and well-known words', () => {
  expect(passwordStrength('aaaaaaaaaaaaaaaaaaaa').level).toBe(1)
  expect(passwordStrength('hello hello 12').level).toBe(1)
  expect(passwordStrength('my-Password-2026').level).toBe(1)
})

it('calls long or mixed passwords strong', () => {
  expect(passwordStrength('heron lamp granite tide').level).toBe(3)
  expect(passwordStrength('Heron7lamp-gran').level).toBe(3)
  expect(passwordStrength('heronlampgra').level).toBe(2)
})
