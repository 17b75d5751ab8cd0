package main

func calls() []attack     { return nil }
func costs() []attack     { return nil }
func floods() []attack    { return nil }
func stalls() []attack    { return nil }
func databases() []attack { return nil }
