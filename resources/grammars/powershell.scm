; Definitions
(function_statement (function_name) @name) @definition.function
(class_statement . (simple_name) @name) @definition.class
(class_method_definition (simple_name) @name) @definition.method
(class_property_definition (variable) @name) @definition.property
(enum_statement (simple_name) @name) @definition.enum
(enum_member (simple_name) @name) @definition.enum_member

; Imports: dot-sourced scripts, and modules by name.
(command (command_invokation_operator) @_operator (command_name_expr (command_name) @import.source @import.all) (#eq? @_operator "."))
((command command_name: (command_name) @_command command_elements: (command_elements (generic_token) @import.source @import.all)) (#match? @_command "^[Ii]mport-[Mm]odule$"))

; References
((command command_name: (command_name) @name) @reference.call (#not-eq? @name "using"))
(invokation_expression . (_) @receiver (member_name (simple_name) @name)) @reference.call
(class_statement . (simple_name) . (simple_name) @name) @reference.extends
(type_literal (type_spec (type_name (type_identifier) @name @reference.usage)))
