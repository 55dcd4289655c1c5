; Definitions. The grammar represents structures, enumerations, actors and extensions as class declarations.
(class_declaration "struct" name: (_) @name) @definition.struct
(class_declaration "enum" name: (_) @name) @definition.enum
(class_declaration "extension" name: (_) @name) @definition.impl
(class_declaration name: (type_identifier) @name) @definition.class
(protocol_declaration name: (_) @name) @definition.interface
(enum_entry name: (simple_identifier) @name) @definition.enum_member
(function_declaration name: (simple_identifier) @name) @definition.function
(function_declaration name: [(custom_operator) (bang) "==" "<" ">" "<=" ">=" "+" "-" "*" "/"] @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property
(init_declaration "init" @name) @definition.method
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(source_file (property_declaration (value_binding_pattern "let") name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)

; Local names
(parameter name: (simple_identifier) @local)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @local))
(for_statement item: (pattern bound_identifier: (simple_identifier) @local))
(if_statement bound_identifier: (simple_identifier) @local)
(lambda_parameter name: (simple_identifier) @local)
(type_parameter (type_identifier) @local)
[(function_declaration) (init_declaration) (lambda_literal) (statements) (for_statement) (computed_property)] @scope

; Imports
(import_declaration (identifier) @import.source @import.all)

; References
(call_expression . (simple_identifier) @name) @reference.call
(call_expression . (navigation_expression target: (_) @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name))) @reference.call
(protocol_declaration (inheritance_specifier inherits_from: (user_type (type_identifier) @name))) @reference.extends
(class_declaration "struct" (inheritance_specifier inherits_from: (user_type (type_identifier) @name))) @reference.implements
(class_declaration "enum" (inheritance_specifier inherits_from: (user_type (type_identifier) @name))) @reference.implements
(class_declaration "extension" (inheritance_specifier inherits_from: (user_type (type_identifier) @name))) @reference.implements
; The first base can be a class or a protocol; the others can only be protocols.
(class_declaration "class" . name: (_) . (inheritance_specifier inherits_from: (user_type (type_identifier) @name))) @reference.extends
(class_declaration "class" (inheritance_specifier inherits_from: (user_type (type_identifier) @name))) @reference.implements
(class_declaration "actor" (inheritance_specifier inherits_from: (user_type (type_identifier) @name))) @reference.implements
(user_type (type_identifier) @name) @reference.usage
(value_argument value: (simple_identifier) @name) @reference.usage
